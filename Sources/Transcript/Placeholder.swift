// Transcript
