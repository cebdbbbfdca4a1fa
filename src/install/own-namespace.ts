import type { KubeObject } from '../machinery/object.ts'
import { INSTALLED_LABEL, INSTALLED_NAME, MADE_ANNOTATION } from './installed-names.ts'

/** The namespace of an installation. Whoever applies it may have had it before. */
export const installedNamespace = (name: string, labels: Readonly<Record<string, string>> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { [INSTALLED_LABEL]: INSTALLED_NAME, ...labels } },
})

/** A namespace that allot creates itself, with the mark by which it goes with allot. It is for creation only. */
export function ownNamespace(name: string): KubeObject {
  const namespace = installedNamespace(name)
  return { ...namespace, metadata: { ...namespace.metadata, annotations: { [MADE_ANNOTATION]: 'true' } } }
}

/** Has allot made this namespace? */
export const isOwnNamespace = ({ metadata }: KubeObject): boolean => metadata.annotations?.[MADE_ANNOTATION] === 'true'
