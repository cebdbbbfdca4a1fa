import type { Command } from 'commander'
import { namespaceName, path } from '../flag-values.ts'

/** The flags of every command that talks to a cluster. */
export interface AccessFlags {
  readonly kubeconfig?: string
  readonly context?: string
}

/** Adds the flags that lead to an API server to a command. `server`: what the command does with it, and where it is found without the flag. */
export const withAccessFlags = (
  command: Command,
  server = 'the API server and the user (default: $KUBECONFIG, else the cluster, else ~/.kube/config)',
): Command =>
  command
    .option('--kubeconfig <file>', server, path)
    .option('--context <name>', 'the context of the kubeconfig (default: its current one)', path)

/** The flags of the commands that have to find an installation. */
export interface PlaceFlags {
  readonly namespace: string
  readonly systemNamespace?: string
}

/** Adds the flags that say where an installation is to a command. */
export const withPlaceFlags = (command: Command): Command =>
  command
    .option('--namespace <name>', 'where allot runs', namespaceName, 'allot')
    .option(
      '--system-namespace <name>',
      "where the operator's own objects live (default: where it runs)",
      namespaceName,
    )
