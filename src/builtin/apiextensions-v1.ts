// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Named, Unchecked } from '../machinery/read.ts'

export type CustomResourceColumnDefinition = {
  readonly description?: unknown
  readonly format?: unknown
  readonly jsonPath?: unknown
  readonly name?: unknown
  readonly priority?: unknown
  readonly type?: unknown
}

export type CustomResourceConversion = {
  readonly strategy?: unknown
  readonly webhook?: Unchecked<WebhookConversion>
}

export type CustomResourceDefinition = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<CustomResourceDefinitionSpec>
  readonly status?: Unchecked<CustomResourceDefinitionStatus>
}

export type CustomResourceDefinitionCondition = {
  readonly lastTransitionTime?: unknown
  readonly message?: unknown
  readonly observedGeneration?: unknown
  readonly reason?: unknown
  readonly status?: unknown
  readonly type?: unknown
}

export type CustomResourceDefinitionNames = {
  readonly categories?: unknown
  readonly kind?: unknown
  readonly listKind?: unknown
  readonly plural?: unknown
  readonly shortNames?: unknown
  readonly singular?: unknown
}

export type CustomResourceDefinitionSpec = {
  readonly conversion?: Unchecked<CustomResourceConversion>
  readonly group?: unknown
  readonly names?: Unchecked<CustomResourceDefinitionNames>
  readonly preserveUnknownFields?: unknown
  readonly scope?: unknown
  readonly versions?: Unchecked<readonly CustomResourceDefinitionVersion[]>
}

export type CustomResourceDefinitionStatus = {
  readonly acceptedNames?: Unchecked<CustomResourceDefinitionNames>
  readonly conditions?: Unchecked<readonly CustomResourceDefinitionCondition[]>
  readonly observedGeneration?: unknown
  readonly storedVersions?: unknown
}

export type CustomResourceDefinitionVersion = {
  readonly additionalPrinterColumns?: Unchecked<readonly CustomResourceColumnDefinition[]>
  readonly deprecated?: unknown
  readonly deprecationWarning?: unknown
  readonly name?: unknown
  readonly schema?: Unchecked<CustomResourceValidation>
  readonly selectableFields?: Unchecked<readonly SelectableField[]>
  readonly served?: unknown
  readonly storage?: unknown
  readonly subresources?: Unchecked<CustomResourceSubresources>
}

export type CustomResourceSubresourceScale = {
  readonly labelSelectorPath?: unknown
  readonly specReplicasPath?: unknown
  readonly statusReplicasPath?: unknown
}

export type CustomResourceSubresources = {
  readonly scale?: Unchecked<CustomResourceSubresourceScale>
  readonly status?: unknown
}

export type CustomResourceValidation = {
  readonly openAPIV3Schema?: Unchecked<JSONSchemaProps>
}

export type ExternalDocumentation = {
  readonly description?: unknown
  readonly url?: unknown
}

export type JSONSchemaProps = {
  readonly $ref?: unknown
  readonly $schema?: unknown
  readonly additionalItems?: Unchecked<JSONSchemaProps> | boolean
  readonly additionalProperties?: Unchecked<JSONSchemaProps> | boolean
  readonly allOf?: Unchecked<readonly JSONSchemaProps[]>
  readonly anyOf?: Unchecked<readonly JSONSchemaProps[]>
  readonly default?: unknown
  readonly definitions?: Unchecked<Named<Unchecked<JSONSchemaProps>>>
  readonly dependencies?: unknown
  readonly description?: unknown
  readonly enum?: unknown
  readonly example?: unknown
  readonly exclusiveMaximum?: unknown
  readonly exclusiveMinimum?: unknown
  readonly externalDocs?: Unchecked<ExternalDocumentation>
  readonly format?: unknown
  readonly id?: unknown
  readonly items?: unknown
  readonly maxItems?: unknown
  readonly maxLength?: unknown
  readonly maxProperties?: unknown
  readonly maximum?: unknown
  readonly minItems?: unknown
  readonly minLength?: unknown
  readonly minProperties?: unknown
  readonly minimum?: unknown
  readonly multipleOf?: unknown
  readonly not?: Unchecked<JSONSchemaProps>
  readonly nullable?: unknown
  readonly oneOf?: Unchecked<readonly JSONSchemaProps[]>
  readonly pattern?: unknown
  readonly patternProperties?: Unchecked<Named<Unchecked<JSONSchemaProps>>>
  readonly properties?: Unchecked<Named<Unchecked<JSONSchemaProps>>>
  readonly required?: unknown
  readonly title?: unknown
  readonly type?: unknown
  readonly uniqueItems?: unknown
  readonly 'x-kubernetes-embedded-resource'?: unknown
  readonly 'x-kubernetes-int-or-string'?: unknown
  readonly 'x-kubernetes-list-map-keys'?: unknown
  readonly 'x-kubernetes-list-type'?: unknown
  readonly 'x-kubernetes-map-type'?: unknown
  readonly 'x-kubernetes-preserve-unknown-fields'?: unknown
  readonly 'x-kubernetes-validations'?: Unchecked<readonly ValidationRule[]>
}

export type SelectableField = {
  readonly jsonPath?: unknown
}

export type ServiceReference = {
  readonly name?: unknown
  readonly namespace?: unknown
  readonly path?: unknown
  readonly port?: unknown
}

export type ValidationRule = {
  readonly fieldPath?: unknown
  readonly message?: unknown
  readonly messageExpression?: unknown
  readonly optionalOldSelf?: unknown
  readonly reason?: unknown
  readonly rule?: unknown
}

export type WebhookClientConfig = {
  readonly caBundle?: unknown
  readonly service?: Unchecked<ServiceReference>
  readonly url?: unknown
}

export type WebhookConversion = {
  readonly clientConfig?: Unchecked<WebhookClientConfig>
  readonly conversionReviewVersions?: unknown
}
