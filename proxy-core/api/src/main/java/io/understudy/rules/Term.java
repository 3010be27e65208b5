package io.understudy.rules;

import java.util.List;

/** One value of a {@code match} key: plain, or negated by a leading {@code !}. */
public interface Term {

    /** Returns whether the value has a leading {@code !}. */
    boolean negated();

    /** Returns whether there is a plain value among the terms; if so, one of them must match. */
    static boolean anyPlain(List<? extends Term> terms) {
        for (int i = 0; i < terms.size(); i++) {
            if (!terms.get(i).negated()) {
                return true;
            }
        }
        return false;
    }
}
