import { listOf } from '../../../api/definition/collection.ts'
import { customResource, type ObjectOf } from '../../../api/definition/custom-resource.ts'
import { object } from '../../../api/definition/object-schema.ts'
import { OPENMCP_GROUP, OPENMCP_VERSION } from './increase-names.ts'
import { quotaDefinition } from './quota-definition.ts'

const spec = object('The definitions of base quotas; a namespace follows the first that selects it.', {
  quotas: listOf('The definitions in their order.', quotaDefinition),
})

/** `openmcp.cloud/v1alpha1 QuotaServiceConfig` (as in the quota operator 1.0). */
export const quotaServiceConfig = customResource({
  group: OPENMCP_GROUP,
  version: OPENMCP_VERSION,
  kind: 'QuotaServiceConfig',
  plural: 'quotaserviceconfigs',
  shortNames: ['qcfg'],
  namespaced: false,
  description: 'Definitions of base quotas.',
  columns: [
    { name: 'Age', type: 'date', description: 'When it was created.', jsonPath: '.metadata.creationTimestamp' },
    {
      name: 'Definitions',
      type: 'string',
      description: 'The base quotas that it defines.',
      jsonPath: '.spec.quotas',
      priority: 1,
    },
  ],
  spec,
})

export type QuotaServiceConfig = ObjectOf<typeof quotaServiceConfig>
