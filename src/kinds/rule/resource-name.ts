import { type FieldError, invalid } from '../../machinery/field-error.ts'
import { isQualifiedName } from '../../machinery/names.ts'
import { isHugePagesName, isNativeName, isStandardName } from '../resource-quota/resource-names.ts'

const OF_CONTAINERS: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage'])
const NONE: readonly FieldError[] = []

/** Is it one of the amounts that a container may ask for without a domain? */
export const isStandardContainerName = (name: string): boolean =>
  OF_CONTAINERS.has(name) || name.startsWith('hugepages-')

/** An extended resource: qualified, outside `kubernetes.io/`, and no quota name (core/v1 helper `IsExtendedResourceName`). */
export const isExtendedName = (name: string): boolean =>
  !isNativeName(name) && !name.startsWith('requests.') && isQualifiedName(`requests.${name}`).length === 0

/** May requests be lower than limits? Only for native amounts other than huge pages. */
export const mayOvercommit = (name: string): boolean => isNativeName(name) && !isHugePagesName(name)

/** The errors in the name of a resource that anything may have (core `validateResourceName`). */
export function validateResourceName(name: string, path: string): readonly FieldError[] {
  if (OF_CONTAINERS.has(name) || name === 'storage') return NONE
  const wrong = isQualifiedName(name)
  if (wrong.length > 0) return wrong.map((text) => invalid(path, name, text))
  if (name.includes('/') || isStandardName(name)) return NONE
  return [invalid(path, name, 'must be a standard resource type or fully qualified')]
}

/** The errors in the name of a resource that containers have (core `validateContainerResourceName`). */
export function validateContainerResourceName(name: string, path: string): readonly FieldError[] {
  if (OF_CONTAINERS.has(name)) return NONE
  const errors = [...validateResourceName(name, path)]
  if (!name.includes('/')) {
    if (!isStandardContainerName(name)) errors.push(invalid(path, name, 'must be a standard resource for containers'))
  } else if (!isNativeName(name) && !isExtendedName(name)) {
    errors.push(invalid(path, name, "doesn't follow extended resource name standard"))
  }
  return errors
}
