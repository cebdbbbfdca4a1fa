import type { Authorizer } from '../auth/rule/authorizer.ts'
import type { Registry } from '../resource/registry.ts'
import type { ServerContext } from '../resource/server-context.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import { certificateGuard } from './certificate-guard.ts'
import type { AdmissionPlugin } from './chain.ts'
import { claimResize } from './claim-resize.ts'
import { defaultClasses } from './default-class.ts'
import { defaultTolerations } from './default-toleration.ts'
import { escalationGuard } from './escalation.ts'
import { foundReferences } from './found-references.ts'
import { idleLimitsWarning } from './idle-limits-warning.ts'
import { limitRanger } from './limit-ranger.ts'
import { namespaceLifecycle } from './namespace-lifecycle.ts'
import { priority } from './priority.ts'
import { runtimeClass } from './runtime-class.ts'
import { serviceAccount } from './service-account.ts'
import { workloadRoom } from './workload-room.ts'

export interface BuiltInPluginsOptions {
  readonly store: StoredObjects
  readonly registry: Registry
  readonly authorizer: Authorizer
  readonly serverContext: Pick<ServerContext, 'now' | 'random'>
}

/** Returns the plugins in the order of Kubernetes' own chain. ResourceQuota is not among them: it comes last, when the object is stored. */
export function builtInPlugins(options: BuiltInPluginsOptions): readonly AdmissionPlugin[] {
  const { store, registry, authorizer, serverContext } = options
  return [
    namespaceLifecycle(store),
    limitRanger(store),
    serviceAccount(store, serverContext.random),
    priority(store),
    defaultTolerations,
    ...defaultClasses(store),
    claimResize(store),
    runtimeClass(store),
    escalationGuard(authorizer),
    certificateGuard(authorizer),
    foundReferences(store),
    idleLimitsWarning(registry),
    workloadRoom({ store, registry, now: serverContext.now }),
  ]
}
