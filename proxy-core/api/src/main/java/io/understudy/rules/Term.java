package io.understudy.rules;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** One value of a {@code match} key: plain, or negated by a leading {@code !}. Two that are written alike are equal. */
public abstract class Term {

    private final String text;
    private final boolean negated;

    Term(String text) {
        this.text = text;
        negated = text.startsWith("!");
    }

    /** Returns the text without a leading {@code !}. */
    static String plain(String text) {
        return text.startsWith("!") ? text.substring(1) : text;
    }

    /** Returns whether the value has a leading {@code !}. */
    public final boolean negated() {
        return negated;
    }

    /** Returns whether there is a plain value among the terms; if so, one of them must match. */
    static boolean anyPlain(List<? extends Term> terms) {
        for (int i = 0; i < terms.size(); i++) {
            if (!terms.get(i).negated()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public final boolean equals(@Nullable Object other) {
        return other instanceof Term that && getClass() == that.getClass() && that.text.equals(text);
    }

    @Override
    public final int hashCode() {
        return text.hashCode();
    }

    @Override
    public final String toString() {
        return text;
    }
}
