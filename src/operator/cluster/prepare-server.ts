import { METRICS_ACCESS_NEEDS, OPERATOR_NEEDS } from '../../install/rbac/operator-needs.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import type { SystemContext } from '../../kube/time/system-context.ts'
import type { Logger } from '../../runtime/process/logger.ts'
import { eachOnce } from '../../runtime/tasks/each-once.ts'
import type { CrdMode } from './crd-mode.ts'
import { ensureCrds } from './ensure-crds.ts'
import { ensureNamespace } from './ensure-namespace.ts'
import { ensureRoles, type PeopleRoles } from './ensure-roles.ts'
import { assertSupportedVersion } from './server-version.ts'
import { assertNoOtherOperator } from './other-operator.ts'
import { requiredAccess } from './required-access.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Need } from '../../install/rbac/need.ts'

/** The options that decide how the API server is prepared. */
export interface ServerPreparation {
  readonly client: KubeClient
  readonly context: SystemContext
  readonly logger: Logger
  /** The rights and CRDs that each system needs. */
  readonly systems: readonly { readonly needs: readonly Need[]; readonly crds: readonly KubeObject[] }[]
  /** Where the operator's own objects live. */
  readonly systemNamespace: string
  readonly crds: CrdMode
  /** Left out: an installation brings the roles of people. */
  readonly people?: PeopleRoles
  /** This process among the replicas. */
  readonly identity: string
}

/**
 * Checks the API server, and creates the objects that the operator needs. Each step is `tried`, and can be repeated.
 */
export async function prepareServer(
  options: ServerPreparation & { readonly metrics: { readonly secured: boolean } },
  tried: (step: () => Promise<void>) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { client, context: clock, logger, systems, systemNamespace, identity, crds: mode, people, metrics } = options
  const needs = [
    ...OPERATOR_NEEDS,
    ...systems.flatMap((system) => system.needs),
    ...(metrics.secured ? METRICS_ACCESS_NEEDS : []),
  ]
  const crds = systems.flatMap((system) => system.crds)
  for (const step of [
    () => assertSupportedVersion(client, signal),
    requiredAccess(client, needs, systemNamespace, signal),
    () => assertNoOtherOperator(client, { systemNamespace, identity }, clock, logger, signal),
    () => ensureNamespace(client, systemNamespace, signal),
    eachOnce(crds, (crd) => ensureCrds([crd], { client, mode, clock, logger, signal })),
    ...(people === undefined ? [] : [() => ensureRoles(client, people, signal)]),
  ])
    await tried(step)
}
