import { eventually } from '../../eventually.ts'
import type { OperatorProcess } from '../operated.ts'

/** Resolves when the metrics of an operator contain this line. */
export async function untilMetric({ metricsPort }: OperatorProcess, line: string): Promise<void> {
  const read = async (): Promise<string> => await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  await eventually(read, (text) => text.includes(line), { patienceMs: 60_000, what: line })
}
