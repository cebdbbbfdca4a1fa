import { customResources } from '../systems/custom-resources.ts'
import type { JsonObject } from '../machinery/object.ts'
import { ACCOUNT } from './objects/account.ts'
import { DISRUPTION_BUDGETS, PRIORITY_CLASS } from './objects/availability.ts'
import { CERTIFICATE } from './objects/certificate.ts'
import { DEPLOYMENT } from './objects/deployment.ts'
import { FLOW_CONTROL } from './objects/flow-control.ts'
import { MONITORING } from './objects/monitoring.ts'
import { NETWORK_POLICY, SERVICE } from './objects/network.ts'
import { ROLES } from './objects/roles.ts'
import { printedNamespace } from './own-namespace.ts'
import { fillTemplates } from './template/fill.ts'
import type { Filling, ObjectTemplate } from './template/template.ts'

/** The objects of an installation besides the CRDs, in the order in which they are made. */
export const INSTALLED: readonly ObjectTemplate[] = [
  PRIORITY_CLASS,
  ACCOUNT,
  ...ROLES,
  ...FLOW_CONTROL,
  SERVICE,
  NETWORK_POLICY,
  ...DISRUPTION_BUDGETS,
  CERTIFICATE,
  DEPLOYMENT,
  ...MONITORING,
]

/** All that an installation consists of, in the order in which it is applied; the namespace, which Helm makes by itself, comes first. */
export const installObjects = (filling: Filling): readonly JsonObject[] => [
  printedNamespace(filling.namespace),
  ...customResources.map(({ crd }) => crd),
  ...fillTemplates(INSTALLED, filling),
]
