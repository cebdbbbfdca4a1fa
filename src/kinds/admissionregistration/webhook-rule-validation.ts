import { append, type FieldError, invalid, notSupported, required } from '../../machinery/field-error.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { absent, textOf, textsOf } from '../../machinery/read.ts'

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']
const SCOPES = ['*', 'Cluster', 'Namespaced']

/** The errors in a rule of a webhook (admissionregistration `validateRuleWithOperations`). */
export function validateWebhookRule(rule: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  append(errors, listed(rule, 'operations', path, 'operations'))
  for (const [index, operation] of textsOf(rule.operations).entries()) {
    if (!OPERATIONS.includes(operation))
      errors.push(notSupported(`${path}.operations[${index}]`, operation, OPERATIONS))
  }
  append(errors, listed(rule, 'apiGroups', path, 'API groups'))
  append(errors, listed(rule, 'apiVersions', path, 'API versions'))
  for (const [index, version] of textsOf(rule.apiVersions).entries()) {
    if (version === '') errors.push(required(`${path}.apiVersions[${index}]`))
  }
  append(errors, validateResources(textsOf(rule.resources), `${path}.resources`))
  if (!absent(rule.scope) && !SCOPES.includes(textOf(rule.scope)))
    errors.push(notSupported(`${path}.scope`, textOf(rule.scope), SCOPES))
  return errors
}

/** A list names something, and a star in it nothing beside the star. */
function listed(rule: JsonObject, key: string, path: string, what: string): readonly FieldError[] {
  const values = textsOf(rule[key])
  if (values.length === 0) return [required(`${path}.${key}`)]
  if (values.length === 1 || !values.includes('*')) return []
  return [invalid(`${path}.${key}`, values, `if '*' is present, must not specify other ${what}`)]
}

/** Nothing is named twice: neither beside a star nor by two that both have one. */
function validateResources(resources: readonly string[], path: string): readonly FieldError[] {
  if (resources.length === 0) return [required(path)]
  const errors: FieldError[] = []
  const wholes = new Set<string>()
  const everywhere = new Set<string>()
  let plain = false
  for (const [index, named] of resources.entries()) {
    const at = `${path}[${index}]`
    if (named === '') {
      errors.push(required(at))
      continue
    }
    const slash = named.indexOf('/')
    if (slash < 0) {
      // Upstream looks at the last of those without a subresource only.
      plain = named !== '*'
      continue
    }
    const [resource, subresource] = [named.slice(0, slash), named.slice(slash + 1)]
    if (wholes.has(resource))
      errors.push(invalid(at, named, `if '${resource}/*' is present, must not specify ${named}`))
    if (everywhere.has(subresource))
      errors.push(invalid(at, named, `if '*/${subresource}' is present, must not specify ${named}`))
    if (subresource === '*') wholes.add(resource)
    if (resource === '*') everywhere.add(subresource)
  }
  if (resources.length > 1 && resources.includes('*/*'))
    errors.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"))
  if (resources.includes('*') && plain)
    errors.push(invalid(path, resources, "if '*' is present, must not specify other resources without subresources"))
  return errors
}
