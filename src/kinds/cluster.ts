import type { Lease } from '../builtin/coordination-v1.ts'
import { type FieldError, invalid } from '../machinery/field-error.ts'
import type { JsonObject } from '../machinery/object.ts'
import { validateAPIService, validateAPIServiceStatus } from './apiregistration/api-service-validation.ts'
import type { CertificateChecks } from './certificates/checks.ts'
import { certificateSigningRequest } from './certificates/signing-request.ts'
import { all, at, type Change, fill, fillAbsent, fillZero, set, within } from './rule/change.ts'
import { validateEvent, validateEventUpdate } from './core/event-validation.ts'
import { validateFlowSchema, validatePriorityLevel } from './flowcontrol/fair-queue-validation.ts'
import { lifecycle } from './strategy/lifecycle.ts'
import { absent, countOf, numberOf, objectOf, specOf } from '../machinery/read.ts'
import { resourceClaim, resourceClaimTemplate } from './resource/resource-claim-strategy.ts'
import { validateNode, validateNodeUpdate } from './core/node-validation.ts'
import type { Strategies, Strategy } from './strategy/strategy.ts'

/** The status of a node has empty fields until the node reports them. */
const unreported: Change = within(
  'status',
  all(
    within('daemonEndpoints', within('kubeletEndpoint', fillAbsent({ Port: 0 }))),
    within(
      'nodeInfo',
      fillAbsent(
        Object.fromEntries(
          [
            'machineID',
            'systemUUID',
            'bootID',
            'kernelVersion',
            'osImage',
            'containerRuntimeVersion',
            'kubeletVersion',
            'kubeProxyVersion',
            'operatingSystem',
            'architecture',
          ].map((field) => [field, '']),
        ),
      ),
    ),
  ),
)

/** Nodes report their own status from the start, so a create keeps it. */
const node: Strategy = {
  ...lifecycle({ status: {} }),
  prepareForCreate: (object) => object,
  shortNames: ['no'],
  defaults: (object) => {
    const status = objectOf(object.status)
    const lacks = absent(status.allocatable) && !absent(status.capacity)
    return unreported(lacks ? set(object, 'status', { ...status, allocatable: status.capacity }) : object)
  },
  validate: validateNode,
  validateUpdate: validateNodeUpdate,
  validateStatusUpdate: validateNodeUpdate,
}

/** Only core/v1 shows a reporter when there is none. */
const unreportedEvent: Change = (object) =>
  object.apiVersion === 'v1' ? fillAbsent({ reportingComponent: '', reportingInstance: '' })(object) : object

const event: Strategy = {
  shortNames: ['ev'],
  nameRule: 'pathSegment',
  allowCreateOnUpdate: true,
  defaults: unreportedEvent,
  validate: validateEvent,
  validateUpdate: validateEventUpdate,
}

function validateLease(object: Lease): readonly FieldError[] {
  const spec = specOf(object)
  const errors: FieldError[] = []
  const duration = numberOf(spec.leaseDurationSeconds)
  if (duration !== undefined && duration <= 0) {
    errors.push(invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0'))
  }
  if (countOf(spec.leaseTransitions) < 0) {
    errors.push(invalid('spec.leaseTransitions', spec.leaseTransitions, 'must be greater than or equal to 0'))
  }
  return errors
}

const keepsGeneration = lifecycle({ generation: true })
const withStatus = (status: JsonObject = {}): Strategy => lifecycle({ status, generation: true })

export const clusterStrategies = (checks: CertificateChecks): Strategies => ({
  nodes: node,
  events: event,
  'events.events.k8s.io': { ...event, errorGroup: '' },
  componentstatuses: { shortNames: ['cs'] },
  'leases.coordination.k8s.io': { validate: validateLease, allowCreateOnUpdate: true, allowUnconditionalUpdate: false },
  'leasecandidates.coordination.k8s.io': { allowCreateOnUpdate: true, allowUnconditionalUpdate: false },
  'certificatesigningrequests.certificates.k8s.io': certificateSigningRequest(checks),
  'apiservices.apiregistration.k8s.io': {
    ...lifecycle({ status: {} }),
    statusKeeps: 'metadata',
    allowUnconditionalUpdate: false,
    categories: ['api-extensions'],
    defaults: at('spec', at('service', fill({ port: 443 }))),
    validate: validateAPIService,
    validateStatusUpdate: validateAPIServiceStatus,
  },
  'resourceclaims.resource.k8s.io': resourceClaim,
  'resourceclaimtemplates.resource.k8s.io': resourceClaimTemplate,
  'resourceslices.resource.k8s.io': keepsGeneration,
  'deviceclasses.resource.k8s.io': keepsGeneration,
  'devicetaintrules.resource.k8s.io': { ...withStatus(), statusKeeps: 'metadata' },
  'flowschemas.flowcontrol.apiserver.k8s.io': {
    ...withStatus(),
    statusKeeps: 'metadata',
    defaults: at('spec', fillZero({ matchingPrecedence: 1000 })),
    validate: validateFlowSchema,
    validateStatusUpdate: () => [],
  },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': {
    ...withStatus(),
    statusKeeps: 'metadata',
    validate: validatePriorityLevel,
    validateStatusUpdate: () => [],
    defaults: at(
      'spec',
      all(
        at('exempt', fill({ nominalConcurrencyShares: 0, lendablePercent: 0 })),
        at(
          'limited',
          all(
            fill({ nominalConcurrencyShares: 30, lendablePercent: 0 }),
            at('limitResponse', at('queuing', fillZero({ queues: 64, handSize: 8, queueLengthLimit: 50 }))),
          ),
        ),
      ),
    ),
  },
})
