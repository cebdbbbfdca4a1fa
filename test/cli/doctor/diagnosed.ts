import type { Finding } from '../../../src/insight/doctor/finding.ts'
import { runInProcess } from '../../migrate/run-in-process.ts'

/** Findings that controllers may mend are looked at again this soon. */
export const SETTLE = ['--settle', '100ms']

export interface Diagnosis {
  readonly code: number
  readonly findings: readonly Finding[]
  readonly stdout: string
}

/** What `allot doctor` finds. */
export async function diagnosed(kubeconfig: string, ...args: readonly string[]): Promise<Diagnosis> {
  const { code, stdout, stderr } = await runInProcess(kubeconfig, 'doctor', ...SETTLE, '-o', 'json', ...args)
  if (!stdout.startsWith('{')) throw new Error(stderr)
  const [document = ''] = stdout.split(/\n(?!\s|\})/)
  return { code, stdout, findings: (JSON.parse(document) as { readonly findings: readonly Finding[] }).findings }
}
