import type { KubeObject } from '../../machinery/object.ts'
import { objectOf } from '../../machinery/read.ts'
import { compareText } from '../../machinery/text/compare.ts'
import { CLASS_ANNOTATION } from '../core/volume/class-annotation.ts'

/** A field that names a class, which is filled in where it is missing. */
export interface DefaultClass {
  readonly plugin: string
  /** The objects that get a class, the field that names it, and the older annotation that does. */
  readonly objects: string
  readonly field: string
  readonly annotation: string
  readonly classes: string
  /** The annotation by which a class says that it is the default. */
  readonly mark: string
}

export const DEFAULT_CLASSES: readonly DefaultClass[] = [
  {
    plugin: 'DefaultStorageClass',
    objects: 'persistentvolumeclaims',
    field: 'storageClassName',
    annotation: CLASS_ANNOTATION,
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

/** A new object that names no class with the default one, if there is any. `classes`: all that there are. */
export function withDefaultClass(
  object: KubeObject,
  { field, annotation, mark }: DefaultClass,
  classes: () => readonly KubeObject[],
): KubeObject {
  const spec = objectOf(object['spec'])
  if (spec[field] !== undefined || object.metadata.annotations?.[annotation] !== undefined) return object
  const found = newest(classes().filter(({ metadata }) => metadata.annotations?.[mark] === 'true'))
  return found === undefined ? object : { ...object, spec: { ...spec, [field]: found.metadata.name } }
}

/** Of several defaults the one that was made last, then the first by name (as upstream picks since 1.26). */
function newest(candidates: readonly KubeObject[]): KubeObject | undefined {
  const madeAt = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? ''
  return candidates.toSorted(
    (a, b) => compareText(madeAt(b), madeAt(a)) || compareText(a.metadata.name ?? '', b.metadata.name ?? ''),
  )[0]
}
