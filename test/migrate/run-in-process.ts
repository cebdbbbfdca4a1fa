import { runProgram } from '../../src/cli/allot-program.ts'
import type { Exit } from '../start-allot.ts'

/** Runs `allot` with these arguments in this process, which costs no start, and against the server of a kubeconfig. */
export async function runInProcess(kubeconfig: string, ...args: readonly string[]): Promise<Exit> {
  let stdout = ''
  let stderr = ''
  const code = await runProgram(args, {
    out: (text) => void (stdout += text),
    err: (text) => void (stderr += text),
    environment: { KUBECONFIG: kubeconfig },
    stop: new AbortController().signal,
  })
  return { code, stdout, stderr }
}
