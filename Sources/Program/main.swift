import HoldfastConformance
import HoldfastTLS

installTLS()
await runConformance()
