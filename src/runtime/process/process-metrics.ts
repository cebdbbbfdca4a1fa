import { collectDefaultMetrics, type Registry } from '@prometheus-io/client'

/** Adds the figures of the process (memory, CPU, event loop, garbage collection). Once per process: they cost timers. */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20, eventLoopUtilizationTimeout: 1000 })
}
