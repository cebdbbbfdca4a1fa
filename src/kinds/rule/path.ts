import { type FieldError, invalid } from '../../machinery/field-error.ts'

const NONE: readonly FieldError[] = []

export const hasBacksteps = (text: string): boolean => text.split('/').includes('..')

/** The path never goes up (`validatePathNoBacksteps`). */
export const noBacksteps = (text: string, path: string): readonly FieldError[] =>
  hasBacksteps(text) ? [invalid(path, text, "must not contain '..'")] : NONE

/** The path is relative and never goes up (`validateLocalDescendingPath`). */
export const descending = (text: string, path: string): readonly FieldError[] => [
  ...(text.startsWith('/') ? [invalid(path, text, 'must be a relative path')] : NONE),
  ...noBacksteps(text, path),
]

/** The same, and no name begins with two dots, which the kubelet keeps for itself (`ValidateLocalNonReservedPath`). */
export const notReserved = (text: string, path: string): readonly FieldError[] => [
  ...descending(text, path),
  ...(text.startsWith('..') && !text.startsWith('../') ? [invalid(path, text, "must not start with '..'")] : NONE),
]
