import type { GroupResource } from '../../machinery/status.ts'

/** The resource that `qualified` calls so. */
export function resourceNamed(id: string): GroupResource {
  const [resource = '', ...group] = id.split('.')
  return { group: group.join('.'), resource }
}
