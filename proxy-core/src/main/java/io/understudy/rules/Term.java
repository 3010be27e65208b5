package io.understudy.rules;

import java.util.List;

/** One value of a {@code match} key. A value is plain, or with a leading {@code !} negated. */
public interface Term {

    /** Whether it was written with a leading {@code !}. */
    boolean negated();

    /** Whether there is a plain value among the terms, one of which then must match. */
    static boolean anyPlain(List<? extends Term> terms) {
        for (int i = 0; i < terms.size(); i++) {
            if (!terms.get(i).negated()) {
                return true;
            }
        }
        return false;
    }
}
