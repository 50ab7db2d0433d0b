// Judge
