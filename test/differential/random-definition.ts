/** The CRD that serves the `gadgets` of the random run. */
export const GADGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.random.test' },
  spec: {
    group: 'random.test',
    scope: 'Namespaced',
    names: { plural: 'gadgets', kind: 'Gadget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' },
        },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['parts'],
                properties: {
                  size: { type: 'integer', minimum: 0, maximum: 10 },
                  words: { type: 'array', items: { type: 'string', maxLength: 5 }, 'x-kubernetes-list-type': 'set' },
                  parts: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: { name: { type: 'string' }, count: { type: 'integer', default: 3 } },
                    },
                  },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  mode: { type: 'string', enum: ['on', 'off'], default: 'off' },
                },
              },
              status: {
                type: 'object',
                properties: { phase: { type: 'string' }, size: { type: 'integer' } },
              },
            },
          },
        },
      },
    ],
  },
}
