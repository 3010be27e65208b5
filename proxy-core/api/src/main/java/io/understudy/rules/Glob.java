package io.understudy.rules;

/** A glob for names: {@code *} stands for any characters, {@code ?} for one. Matching allocates nothing. */
final class Glob {

    private Glob() {}

    /**
     * Returns whether a glob matches a name. Takes at most the product of both lengths: only the last star is tried
     * again.
     */
    static boolean matches(String text, String name, boolean ignoreCase) {
        int p = 0;
        int n = 0;
        int star = -1;
        int resume = 0;
        while (n < name.length()) {
            char wanted = p < text.length() ? text.charAt(p) : 0;
            // The star is tested first because a name may contain one, too.
            if (p < text.length() && wanted == '*') {
                star = p++;
                resume = n;
            } else if (p < text.length() && (wanted == '?' || same(wanted, name.charAt(n), ignoreCase))) {
                p++;
                n++;
            } else if (star >= 0) {
                p = star + 1;
                n = ++resume;
            } else {
                return false;
            }
        }
        while (p < text.length() && text.charAt(p) == '*') {
            p++;
        }
        return p == text.length();
    }

    private static boolean same(char a, char b, boolean ignoreCase) {
        return a == b
                || ignoreCase
                        && (Character.toLowerCase(a) == Character.toLowerCase(b)
                                || Character.toUpperCase(a) == Character.toUpperCase(b));
    }
}
