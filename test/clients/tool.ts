import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const SCRIPT = fileURLToPath(new URL('../../scripts/client-tools', import.meta.url))

/** The path of a client that `scripts/client-tools` made, or `undefined`: then its tests are skipped. */
export function toolPath(
  name: 'kubectl-1.20' | 'python' | 'go' | 'helm' | 'helm-4' | 'health' | 'promtool' | 'prometheus',
): string | undefined {
  try {
    return execFileSync(SCRIPT, ['--path', name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}
