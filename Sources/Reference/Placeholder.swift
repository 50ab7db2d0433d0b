// Reference
