import { hole, Items, NAMESPACE, type TemplateObject, VERSION } from './template.ts'

/** The name of everything that there is one of. */
export const NAME = 'allot'
/** Every object that an installation brings has it, and so have the pods. */
export const INSTALLED_LABEL = 'app.kubernetes.io/name'
const LABELS: TemplateObject = { [INSTALLED_LABEL]: NAME, 'app.kubernetes.io/version': hole(VERSION) }
/** The labels by which the pods are selected; they do not change with a version. */
export const SELECTED: TemplateObject = { [INSTALLED_LABEL]: NAME, 'app.kubernetes.io/component': 'operator' }

export const clusterMetadata = (name: string = NAME): TemplateObject => ({ name, labels: LABELS })
export const metadata = (name: string = NAME): TemplateObject => ({ name, namespace: hole(NAMESPACE), labels: LABELS })

/** With further labels, which stand at this path of the values. */
export const labelledMetadata = (path: string): TemplateObject => ({
  ...metadata(),
  labels: { ...LABELS, further: new Items(path) },
})
