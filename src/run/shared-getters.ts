/**
 * Fields that are read when somebody asks for them, on plain objects of which a run or an agent makes its own.
 *
 * A getter in an object literal is a new function each time, and V8 keeps it in the hidden class of that one object, which
 * only a full collection frees: all that the getter closes over outlives every short one. Getters that all objects share
 * leave one hidden class.
 */

/** Adds the fields to an object, read from what belongs to it. */
export type AddGetters<Owner, Fields> = <Target extends object>(target: Target, owner: Owner) => Target & Readonly<Fields>

/** @param getters give the fields, own and enumerable, of an object whose owner they get; they must close over no object's parts */
export function sharedGetters<Owner, Fields extends object>(getters: {
  readonly [Name in keyof Fields]: (owner: Owner) => Fields[Name]
}): AddGetters<Owner, Fields> {
  // A property, and no private field or map: what inherits from the object, or stands before it, reads it as well.
  const ownerOf = Symbol('owner')
  type Owned = { readonly [ownerOf]: Owner }
  const fields: [string, PropertyDescriptor][] = Object.entries<(owner: Owner) => unknown>(getters).map(([name, read]) => [
    name,
    {
      get(this: Owned) {
        return read(this[ownerOf])
      },
      enumerable: true,
      configurable: true,
    },
  ])
  return (target, owner) => {
    Object.defineProperty(target, ownerOf, { value: owner })
    for (const [name, descriptor] of fields) Object.defineProperty(target, name, descriptor)
    return target as typeof target & Readonly<Fields>
  }
}
