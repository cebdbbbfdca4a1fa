import type { KubeObject } from '../../machinery/object.ts'
import { notFound } from '../../machinery/status.ts'
import type { ObjectRequest } from '../storing/object-request.ts'
import { update, type UpdateContext } from './update.ts'

/**
 * Writes what `change` makes of the newest state of an object that was seen before. Throws 404 when that object is gone,
 * also where another has taken its name: what was decided about the one says nothing about the other.
 */
export async function changeThis(
  context: UpdateContext,
  request: ObjectRequest,
  { metadata: { uid } }: KubeObject,
  change: (current: KubeObject) => KubeObject,
): Promise<void> {
  const transform = (current: KubeObject): KubeObject => {
    if (current.metadata.uid !== uid) throw notFound(request.resource.id, request.name)
    return change(current)
  }
  await update(context, request, transform, { wholeObject: false })
}
