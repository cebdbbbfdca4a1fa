import { execFile } from 'node:child_process'
import { delimiter, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtProgram } from '../built-program.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DEADLINE_MS = 60_000

export interface Result {
  readonly code: number
  /** Standard output and standard error, as a terminal shows them. */
  readonly text: string
}

/** Runs a command of a document in the repository's folder, with kubectl going to `kubeconfig` and caching in `home`. */
export function shell(
  command: string,
  { kubeconfig, home }: { readonly kubeconfig: string; readonly home: string },
): Promise<Result> {
  // Only what a newcomer's shell has: being run by `make test` must not show.
  const env = {
    PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
    HOME: home,
    KUBECONFIG: kubeconfig,
    LANG: 'C.UTF-8',
    // kubectl lives too briefly to be worth its garbage collector.
    GOGC: 'off',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  }
  return new Promise((resolve, reject) => {
    execFile(
      'bash',
      ['-c', `exec 2>&1\n${builtOnce(offline(command))}`],
      { cwd: ROOT, env, timeout: DEADLINE_MS },
      (error, stdout) => {
        // A command that does not end must differ from one that prints the same and ends.
        if (error?.killed === true)
          return reject(
            new Error(`${command}\ndoes not end within ${DEADLINE_MS / 1000} seconds; it printed:\n${stdout}`),
          )
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
        resolve({ code, text: stdout })
      },
    )
  })
}

/** `make` must not install anything anew while the tests run from what is installed. */
export function offline(command: string): string {
  return command.replace(/^make /, 'make -o node_modules/.package-lock.json ')
}

/** The program that was built for the tests, which says the same as that of a clone (`built-program.test.ts`) and starts at half the cost. */
const builtOnce = (command: string): string => command.replaceAll('node bin/allot.js', `node ${builtProgram()}`)
