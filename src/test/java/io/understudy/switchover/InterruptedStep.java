package io.understudy.switchover;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** A step behind which something happens to the program, or to the servers. */
record InterruptedStep(Step step, Callable<?> meanwhile) implements Step {
    /** @param number as the program prints it: from 1 */
    static Steps behind(Steps steps, int number, Callable<?> meanwhile) {
        List<Step> all = new ArrayList<>(steps.all());
        all.set(number - 1, new InterruptedStep(all.get(number - 1), meanwhile));
        int promotion = steps.checks().size() + steps.preparation().size();
        return new Steps(
                all.subList(0, steps.checks().size()),
                all.subList(steps.checks().size(), promotion),
                all.get(promotion),
                all.get(promotion + 1),
                all.get(promotion + 2),
                all.subList(promotion + 3, all.size()));
    }

    @Override
    public String plan() {
        return step.plan();
    }

    @Override
    public String run() throws Exception {
        String result = step.run();
        meanwhile.call();
        return result;
    }

    @Override
    public String undo() throws Exception {
        return step.undo();
    }

    @Override
    public boolean undoneLast() {
        return step.undoneLast();
    }
}
