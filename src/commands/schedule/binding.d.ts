/** What is used of the optional package, so that the types are there without it. */
declare module "@open-spaced-repetition/binding" {
  export class FSRSBindingReview {
    constructor(rating: number, deltaT: number);
  }
  export class FSRSBindingItem {
    constructor(reviews: readonly FSRSBindingReview[]);
  }
  export function computeParameters(
    items: readonly FSRSBindingItem[],
    options: {
      readonly enableShortTerm: boolean;
      readonly progress?: (done: number, all: number) => boolean;
    },
  ): Promise<number[]>;
}
