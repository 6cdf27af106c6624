import { UsageError } from "../../errors.ts";
import type { Optimizer } from "../../schedule/training.ts";

const packageName = "@open-spaced-repetition/binding";

/**
 * The optimizer of FSRS, an optional package with a native part.
 *
 * @throws UsageError that says what to install
 */
export async function loadOptimizer(): Promise<Optimizer> {
  const binding = await import("@open-spaced-repetition/binding").catch((cause: unknown) => {
    throw new UsageError(`training needs the package ${packageName}, which is not installed`, {
      hint: `Install it with: npm install -g ${packageName}@0.5.0`,
      cause,
    });
  });
  const { computeParameters, FSRSBindingItem, FSRSBindingReview } = binding;
  return (items, progress) =>
    computeParameters(
      items.map(
        ({ reviews }) =>
          new FSRSBindingItem(reviews.map(({ rating, deltaT }) => new FSRSBindingReview(rating, deltaT))),
      ),
      {
        enableShortTerm: false,
        progress: (done, all) => {
          progress(done, all);
          return true;
        },
      },
    );
}
