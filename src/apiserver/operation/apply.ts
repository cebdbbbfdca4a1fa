import { applyPatch } from '../../schema/apply/patch.ts'
import { conflictError } from '../../schema/apply/manager/conflict-error.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { conflict, isAlreadyExists } from '../../machinery/status.ts'
import { timestamp } from '../../runtime/time/timestamp.ts'
import { authorizeCreate } from '../auth/authorize-create.ts'
import { create } from './create.ts'
import { keyOf, type Outcome } from '../storing/outcome.ts'
import type { ObjectRequest } from '../storing/object-request.ts'
import { resetFields } from './managed-fields.ts'
import { assertAddressed, unversioned, update, type UpdateContext } from './update.ts'

/** How often an apply begins anew when the object was created by somebody else meanwhile. */
const ATTEMPTS = 8

export interface ApplyOptions {
  /** The applied configuration, as it was sent. */
  readonly applied: JsonObject
  readonly manager: string
  readonly force: boolean
  /** Decodes and defaults what the merge gave. */
  readonly toObject: (value: JsonObject) => KubeObject
}

/** Server-side apply: creates the object or merges the configuration into it. Throws 409 for conflicts with other managers. */
export async function apply(context: UpdateContext, request: ObjectRequest, options: ApplyOptions): Promise<Outcome> {
  const { resource, namespace, name, subresource } = request
  const untracked = withoutManager(request)
  const merged = async (live: KubeObject | undefined): Promise<KubeObject> => {
    const result = applyPatch({
      type: resource.merging,
      live,
      applied: options.applied,
      manager: options.manager,
      force: options.force,
      apiVersion: resource.apiVersion,
      versions: resource.versions(),
      kind: resource.served.kind,
      subresource,
      time: timestamp(context.serverContext.now()),
      resetFields: resetFields(resource, subresource),
    })
    if ('conflicts' in result) throw conflictError(result.conflicts)
    if (request.slice !== undefined) await request.slice.next()
    const object = options.toObject(result.object)
    if (live === undefined) refuseUid(request, object)
    return object
  }
  for (let attempt = 1; ; attempt++) {
    if (subresource !== '' || context.store.latest(resource.bucket, keyOf(resource, namespace, name)) !== undefined)
      return await update(context, untracked, merged, { wholeObject: false })
    authorizeCreate(context.access, request)
    try {
      const object = await merged(undefined)
      assertAddressed(request, object)
      return await create(context, untracked, unversioned(object))
    } catch (error) {
      if (!isAlreadyExists(error) || attempt === ATTEMPTS) throw error
    }
  }
}

/** An apply with a uid refers to an existing object. Throws 409. */
function refuseUid({ resource, name }: ObjectRequest, { metadata: { uid = '' } }: KubeObject): void {
  if (uid === '') return
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
  throw conflict(resource.id, name, why)
}

/** The merge has decided the field owners: the write itself is not tracked again. */
function withoutManager({ manager: _merged, ...request }: ObjectRequest): ObjectRequest {
  return request
}
