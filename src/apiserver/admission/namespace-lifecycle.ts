import { forbidden, notFound } from '../../machinery/status.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import type { AdmissionPlugin } from './chain.ts'
import type { Review } from '../storing/review.ts'

const NAMESPACES = { group: '', resource: 'namespaces' }
/** Namespaces that a cluster cannot do without. */
const IMMORTAL: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public'])

/** Upstream's NamespaceLifecycle: objects are created only in namespaces that exist and are not being deleted. */
export function namespaceLifecycle(store: StoredObjects): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    mutate: (review) => {
      check(store, review)
      return review.object
    },
    holds: (review) => check(store, review),
    validate: (review) => {
      if (review.operation === 'DELETE' && review.resource.bucket === 'namespaces' && IMMORTAL.has(review.name))
        throw forbidden(NAMESPACES, review.name, 'this namespace may not be deleted')
    },
  }
}

function check(store: StoredObjects, { resource, namespace, name, object, operation }: Review): void {
  if (!resource.served.namespaced || operation !== 'CREATE') return
  const record = store.latest('namespaces', namespace)
  if (record === undefined) throw notFound(NAMESPACES, namespace)
  if (record.object.metadata.deletionTimestamp === undefined) return
  const shown = name === '' ? (object?.metadata.generateName ?? '') : name
  throw forbidden(
    resource.id,
    shown,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  )
}
