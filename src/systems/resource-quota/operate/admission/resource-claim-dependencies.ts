import { QUOTA_EVALUATORS } from '../../../../charges/evaluators/table.ts'
import { podEvaluator } from '../../../../charges/evaluators/pod.ts'
import { DEVICE_CLASSES, resourceClaimEvaluator } from '../../../../charges/evaluators/resource-claim.ts'
import type { Lookup } from '../../../../charges/lookup.ts'
import type { KubeObject } from '../../../../machinery/object.ts'
import { type GroupResource, qualified } from '../../../../machinery/status.ts'
import { ServedKinds } from '../../../../operator/shell/served-kinds.ts'
import type { OperatorContext } from '../../../../operator/system.ts'
import { WatchedObjects } from '../watched-objects.ts'
import type { TrackedResourceQuota } from './tracked-quota.ts'

export interface ResourceClaimDependenciesOptions {
  readonly context: Pick<OperatorContext, 'caches' | 'client' | 'clock'>
  /** Called when claims may cost something else: those of a namespace, or of all namespaces (''). */
  readonly onChange: (namespace: string) => void
  /** Called when more is listed, or less. */
  readonly onState: () => void
}

const WATCHED: readonly GroupResource[] = [resourceClaimEvaluator, podEvaluator, DEVICE_CLASSES].map(
  ({ group, resource }) => ({ group, resource }),
)

/** Is this the resource of claims for devices? */
export const isClaims = (of: GroupResource): boolean => qualified(of) === qualified(resourceClaimEvaluator)

/** Does the quota count claims for devices? */
export const countsClaims = ({ evaluators }: TrackedResourceQuota): boolean => evaluators.some(isClaims)

/** The objects that the costs of ResourceClaims depend on, followed for as long as a quota counts claims. */
export class ResourceClaimDependencies {
  readonly #objects: WatchedObjects

  constructor({ context, onChange, onState }: ResourceClaimDependenciesOptions) {
    const { caches, clock, client } = context
    this.#objects = new WatchedObjects({
      caches,
      clock,
      kinds: new ServedKinds(client),
      onChange: (of, old, current) => {
        const { namespace = '' } = (current ?? old)?.metadata ?? {}
        if (namespace === '' || isEntangled(of, old) || isEntangled(of, current)) onChange(namespace)
      },
      onState,
    })
  }

  want(quota: TrackedResourceQuota): void {
    if (countsClaims(quota)) for (const of of WATCHED) this.#objects.want(of)
  }

  release(quota: TrackedResourceQuota): void {
    if (countsClaims(quota)) for (const of of WATCHED) this.#objects.release(of)
  }

  /** Is all known that the API server serves? */
  get isListed(): boolean {
    return WATCHED.every((of) => typeof this.#objects.state(of) === 'string')
  }

  get lookup(): Lookup {
    return this.#objects.lookup
  }

  stop(): void {
    this.#objects.stop()
  }
}

const isEntangled = (of: GroupResource, object: KubeObject | undefined): boolean =>
  object !== undefined && QUOTA_EVALUATORS.of(of)?.entangled?.(object) === true
