import type { CustomResourceDefinition } from '../../builtin/apiextensions-v1.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { at, type Change, fill, fillZero, set, setOrDrop } from '../rule/change.ts'
import { validateCrd, validateCrdStatus, validateCrdUpdate } from './crd-validation.ts'
import { lifecycle } from '../strategy/lifecycle.ts'
import { absent, objectsOf, specOf, statusOf, textOf, textsOf } from '../../machinery/read.ts'
import type { Strategies } from '../strategy/strategy.ts'

const NO_NAMES: JsonObject = { plural: '', kind: '' }

const names: Change = (value) => {
  const kind = textOf(value.kind)
  return kind === '' ? value : fill({ singular: kind.toLowerCase(), listKind: `${kind}List` })(value)
}

const conversion: Change = (spec) => {
  if (absent(spec.conversion)) return set(spec, 'conversion', { strategy: 'None' })
  return at('conversion', at('webhook', at('clientConfig', at('service', fillZero({ port: 443 })))))(spec)
}

const storageVersion = (object: CustomResourceDefinition): string | undefined => {
  const found = objectsOf(specOf(object).versions).find((version) => version.storage === true)
  return found === undefined ? undefined : textOf(found.name)
}

/** Every version that objects were ever stored in stays listed, until someone has migrated and takes it off. */
function withStoredVersion(object: CustomResourceDefinition): KubeObject {
  const version = storageVersion(object)
  const status = statusOf(object)
  const stored = textsOf(status.storedVersions)
  return version === undefined || stored.includes(version)
    ? object
    : set(object, 'status', { ...status, storedVersions: [...stored, version] })
}

/** The stored CRD with another status. */
function withStatus(object: CustomResourceDefinition, old: CustomResourceDefinition): KubeObject {
  const next = setOrDrop({ ...old, metadata: object.metadata }, 'status', object.status)
  return textsOf(statusOf(next).storedVersions).length === 0 ? withStoredVersion(next) : next
}

const base = lifecycle({ status: { conditions: [], acceptedNames: NO_NAMES, storedVersions: [] }, generation: true })

export const customResourceDefinitionStrategies: Strategies = {
  'customresourcedefinitions.apiextensions.k8s.io': {
    ...base,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    allowUnconditionalUpdate: false,
    defaults: at('spec', (spec) => conversion(at('names', names)(spec))),
    prepareForCreate: (object, context) => withStoredVersion(base.prepareForCreate(object, context)),
    prepareForUpdate: (object, old, context) => withStoredVersion(base.prepareForUpdate(object, old, context)),
    statusKeeps: 'metadata',
    prepareForStatusUpdate: withStatus,
    validate: validateCrd,
    validateUpdate: validateCrdUpdate,
    validateStatusUpdate: validateCrdStatus,
  },
}
