import { Gauge, type Registry } from '@prometheus-io/client'

/** Shows Prometheus which version of allot runs, on which Node. */
export function showBuild(registry: Registry, version: string): void {
  new Gauge({
    name: 'allot_build_info',
    help: 'Always 1; the labels say which version of allot runs, on which version of Node.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node: process.version }, 1)
}
