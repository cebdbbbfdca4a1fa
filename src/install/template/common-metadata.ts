import { INSTALLED_LABEL, INSTALLED_NAME } from '../installed-names.ts'
import { hole, Items, NAMESPACE, type TemplateObject, VERSION } from './template.ts'

const LABELS: TemplateObject = { [INSTALLED_LABEL]: INSTALLED_NAME, 'app.kubernetes.io/version': hole(VERSION) }

export const clusterMetadata = (name: string = INSTALLED_NAME): TemplateObject => ({ name, labels: LABELS })
export const metadata = (name: string = INSTALLED_NAME): TemplateObject => ({
  name,
  namespace: hole(NAMESPACE),
  labels: LABELS,
})

/** With further labels, which stand at this path of the values. */
export const labelledMetadata = (path: string): TemplateObject => ({
  ...metadata(),
  labels: { ...LABELS, further: new Items(path) },
})
