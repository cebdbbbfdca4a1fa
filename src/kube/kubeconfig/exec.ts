import { basename } from 'node:path'
import { EXEC_API_VERSIONS, type ExecPlugin, INTERACTIVE_MODES } from '../access/cluster-access.ts'
import type { KubeconfigField } from './field.ts'

/** The extension of a cluster that holds a word for exec plugins. */
const CLUSTER_EXTENSION = 'client.authentication.k8s.io/exec'

/** Reads `users[].user.exec`. Throws KubeconfigError. */
export function readExecPlugin(exec: KubeconfigField, cluster: KubeconfigField): ExecPlugin {
  const apiVersion = oneOf(exec.at('apiVersion'), EXEC_API_VERSIONS)
  const mode = exec.at('interactiveMode')
  // Version 1 wants the decision made; before it there was none to make.
  const isGiven = mode.text() !== undefined || apiVersion === 'client.authentication.k8s.io/v1'
  const clusterConfig = cluster
    .at('extensions')
    .items()
    .find((extension) => extension.at('name').text() === CLUSTER_EXTENSION)
    ?.at('extension').value
  return {
    apiVersion,
    command: commandOf(exec.at('command')),
    args: exec.at('args').texts(),
    env: exec
      .at('env')
      .items()
      .map((entry) => ({ name: entry.at('name').needed(), value: entry.at('value').text() ?? '' })),
    interactiveMode: isGiven ? oneOf(mode, INTERACTIVE_MODES) : 'IfAvailable',
    provideClusterInfo: exec.at('provideClusterInfo').flag(),
    installHint: exec.at('installHint').text()?.trim() ?? '',
    ...(clusterConfig === undefined ? {} : { clusterConfig }),
  }
}

/** A bare name is looked up in PATH, anything else is a path beside the kubeconfig. */
function commandOf(field: KubeconfigField): string {
  const command = field.needed()
  return basename(command) === command ? command : (field.file() ?? command)
}

function oneOf<const T extends string>(field: KubeconfigField, choices: readonly T[]): T {
  const text = field.needed()
  const found = choices.find((choice) => choice === text)
  if (found === undefined) throw field.invalid(`it must be one of ${choices.join(', ')}`)
  return found
}
