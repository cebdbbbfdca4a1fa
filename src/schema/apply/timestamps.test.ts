import { describe, expect, test } from 'vitest'
import { at, config } from '../../../test/machinery/managed-map.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { keepTimestamps } from './timestamps.ts'

describe('keepTimestamps', () => {
  const object = (time: string, a: string, manager = 'm'): KubeObject =>
    ({
      ...config({ a }),
      metadata: { name: 'c', managedFields: [{ manager, time, fieldsV1: {} }] },
    }) as unknown as KubeObject
  test('keeps the stored times where nothing else differs', () => {
    expect(keepTimestamps(object(at(1), '1'), object(at(2), '1'))).toEqual(object(at(1), '1'))
    for (const updated of [object(at(2), '2'), object(at(2), '1', 'n')]) {
      expect(keepTimestamps(object(at(1), '1'), updated)).toBe(updated)
    }
  })
})
