package io.understudy.plugins.querylog.digests;

import java.util.List;

/** A few distinct names, the first that came. Thread-safe. */
final class NameSample {
    private static final int MOST = 8;

    private volatile List<String> names = List.of();
    private volatile boolean more;

    void add(String name) {
        List<String> known = names;
        for (int i = 0; i < known.size(); i++) {
            if (known.get(i).equals(name)) {
                return;
            }
        }
        append(name);
    }

    private synchronized void append(String name) {
        List<String> known = names;
        if (known.contains(name)) {
            return;
        }
        if (known.size() == MOST) {
            more = true;
            return;
        }
        String[] next = known.toArray(new String[known.size() + 1]);
        next[known.size()] = name;
        names = List.of(next);
    }

    List<String> list() {
        return names;
    }

    /** Returns whether there were others. */
    boolean more() {
        return more;
    }
}
