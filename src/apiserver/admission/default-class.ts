import { objectOf } from '../../machinery/read.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import type { AdmissionPlugin } from './chain.ts'

interface DefaultClass {
  readonly plugin: string
  /** The objects that get a class, the field that names it, and the older annotation that does. */
  readonly objects: string
  readonly field: string
  readonly annotation: string
  readonly classes: string
  /** The annotation by which a class says that it is the default. */
  readonly mark: string
}

const DEFAULT_CLASSES: readonly DefaultClass[] = [
  {
    plugin: 'DefaultStorageClass',
    objects: 'persistentvolumeclaims',
    field: 'storageClassName',
    annotation: 'volume.beta.kubernetes.io/storage-class',
    classes: 'storageclasses.storage.k8s.io',
    mark: 'storageclass.kubernetes.io/is-default-class',
  },
  {
    plugin: 'DefaultIngressClass',
    objects: 'ingresses.networking.k8s.io',
    field: 'ingressClassName',
    annotation: 'kubernetes.io/ingress.class',
    classes: 'ingressclasses.networking.k8s.io',
    mark: 'ingressclass.kubernetes.io/is-default-class',
  },
]

/** Upstream's DefaultStorageClass and DefaultIngressClass: a new object that names no class gets the default one, if any. */
export function defaultClasses(store: StoredObjects): readonly AdmissionPlugin[] {
  return DEFAULT_CLASSES.map(({ plugin, objects, field, annotation, classes, mark }) => ({
    name: plugin,
    mutate: ({ resource, operation, subresource, object }) => {
      if (resource.bucket !== objects || operation !== 'CREATE' || subresource !== '') return object
      const spec = objectOf(object.spec)
      if (spec[field] !== undefined || object.metadata.annotations?.[annotation] !== undefined) return object
      const found = newest(
        [...store.latestIn(classes, undefined)]
          .map((record) => record.object)
          .filter(({ metadata }) => metadata.annotations?.[mark] === 'true'),
      )
      return found === undefined ? object : { ...object, spec: { ...spec, [field]: found.metadata.name } }
    },
  }))
}

/** Of several defaults the one that was made last, then the first by name (as upstream picks since 1.26). */
function newest(candidates: readonly KubeObject[]): KubeObject | undefined {
  const madeAt = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? ''
  return candidates.toSorted(
    (a, b) => madeAt(b).localeCompare(madeAt(a)) || (a.metadata.name ?? '').localeCompare(b.metadata.name ?? ''),
  )[0]
}
