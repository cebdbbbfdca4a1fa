import type { KubeObject } from '../machinery/object.ts'
import { INSTALLED_LABEL, INSTALLED_NAME } from './installed-names.ts'

/** A namespace that allot makes, with the mark by which it goes with allot. */
export const ownNamespace = (name: string, labels: Readonly<Record<string, string>> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { [INSTALLED_LABEL]: INSTALLED_NAME, ...labels } },
})

/** Has allot made this namespace? */
export const isOwnNamespace = ({ metadata }: KubeObject): boolean =>
  metadata.labels?.[INSTALLED_LABEL] === INSTALLED_NAME
