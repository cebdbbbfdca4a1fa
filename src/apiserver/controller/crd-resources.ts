import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresourceScale,
  CustomResourceSubresources,
} from '../../builtin/apiextensions-v1.ts'
import { createHash } from 'node:crypto'
import type { JsonObject } from '../../machinery/object.ts'
import { objectOf, objectsOf, specOf, statusOf, textOf, textsOf } from '../../machinery/read.ts'
import { compareApiVersions } from '../resource/group-order.ts'
import type { DefinedVersion, ScalePaths, ServedResource, ServedSubresource } from '../resource/served-resource.ts'
import { isServed } from './crd-status.ts'

/** In the order of discovery. */
const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']
/** The verbs in discovery for objects that end with their CRD. */
const LAST_VERBS = ['delete', 'deletecollection', 'get', 'list', 'watch']
const SUBRESOURCE_VERBS = ['get', 'patch', 'update']

/** One resource for each version of a CRD that is served, under the names that were accepted. */
export function resourcesOf(crd: CustomResourceDefinition): readonly ServedResource[] {
  const spec = specOf(crd)
  const status = statusOf(crd)
  if (!isServed(status)) return []
  const names = objectOf(status.acceptedNames)
  const terminating = objectsOf(status.conditions).some(
    ({ type, status: value }) => type === 'Terminating' && value === 'True',
  )
  const group = textOf(spec.group)
  const kind = textOf(names.kind)
  const definedVersions = objectsOf(spec.versions).map((version): DefinedVersion => ({
    name: textOf(version.name),
    storage: version.storage === true,
    schema: schemaOf(version),
  }))
  const stored = objectsOf(spec.versions).find((version) => version.storage === true && version.served === true)
  return objectsOf(spec.versions)
    .filter((version) => version.served === true)
    .map((version): ServedResource => {
      const own = objectOf(version.subresources)
      const shortNames = textsOf(names.shortNames)
      const categories = textsOf(names.categories)
      const selectable = objectsOf(version.selectableFields).map(({ jsonPath }) => textOf(jsonPath))
      return {
        group,
        version: textOf(version.name),
        resource: textOf(names.plural),
        kind,
        listKind: textOf(names.listKind),
        singular: textOf(names.singular),
        namespaced: spec.scope === 'Namespaced',
        verbs: terminating ? LAST_VERBS : VERBS,
        ...(terminating ? { terminating } : {}),
        ...(shortNames.length === 0 ? {} : { shortNames }),
        ...(categories.length === 0 ? {} : { categories }),
        ...(stored === undefined
          ? {}
          : { storageVersionHash: storageVersionHash(`${group}/${textOf(stored.name)}/${kind}`) }),
        subresources: subresourcesOf(own, { group, version: textOf(version.name), kind }),
        custom: true,
        ...(version.deprecated === true ? { deprecation: deprecationOf(version, spec, kind) } : {}),
        ...(own.scale === undefined ? {} : { scalePaths: scalePathsOf(objectOf(own.scale)) }),
        ...(selectable.length === 0 ? {} : { selectableFields: selectable }),
        printerColumns: objectsOf(version.additionalPrinterColumns),
        schema: schemaOf(version),
        definedVersions,
      }
    })
}

/** The CRD's own words, or those of Kubernetes: which version to use, if there is a better one. */
function deprecationOf(
  { name, deprecationWarning }: CustomResourceDefinitionVersion,
  spec: CustomResourceDefinitionSpec,
  kind: string,
): string {
  if (typeof deprecationWarning === 'string') return deprecationWarning
  const group = textOf(spec.group)
  const [better] = objectsOf(spec.versions)
    .filter(({ served, deprecated }) => served === true && deprecated !== true)
    .map((version) => textOf(version.name))
    .filter((version) => compareApiVersions(version, textOf(name)) < 0)
    .toSorted(compareApiVersions)
  const text = `${group}/${textOf(name)} ${kind} is deprecated`
  return better === undefined ? text : `${text}; use ${group}/${better} ${kind}`
}

const schemaOf = (version: CustomResourceDefinitionVersion): JsonObject =>
  objectOf(objectOf(version.schema).openAPIV3Schema)

/** By which clients see that objects are stored otherwise than before. */
const storageVersionHash = (version: string): string =>
  createHash('sha256').update(version).digest().subarray(0, 8).toString('base64')

function subresourcesOf(
  { status, scale }: CustomResourceSubresources,
  own: Pick<ServedSubresource, 'group' | 'version' | 'kind'>,
): readonly ServedSubresource[] {
  const of = { group: 'autoscaling', version: 'v1', kind: 'Scale' }
  return [
    ...(status === undefined ? [] : [{ name: 'status', ...own, verbs: SUBRESOURCE_VERBS }]),
    ...(scale === undefined ? [] : [{ name: 'scale', ...of, verbs: SUBRESOURCE_VERBS }]),
  ]
}

function scalePathsOf(scale: CustomResourceSubresourceScale): ScalePaths {
  const labelSelectorPath = textOf(scale.labelSelectorPath)
  return {
    specReplicasPath: textOf(scale.specReplicasPath),
    statusReplicasPath: textOf(scale.statusReplicasPath),
    ...(labelSelectorPath === '' ? {} : { labelSelectorPath }),
  }
}
