import HoldfastConformance

await runConformance()
