package io.understudy.sql;

/**
 * Stack of open parentheses: the hashes before each, and the group that it may repeat.
 *
 * <p>Storage only; {@link Condenser} has the logic. The values removed by {@link #pop} stay readable until the next
 * {@link #push}.
 */
final class OpenGroups {

    private static final int MAX_DEPTH = 64;

    private final long[] outer1 = new long[MAX_DEPTH];
    private final long[] outer2 = new long[MAX_DEPTH];
    private final long[] before1 = new long[MAX_DEPTH];
    private final long[] before2 = new long[MAX_DEPTH];
    private final boolean[] row = new boolean[MAX_DEPTH];
    private final int[] textStart = new int[MAX_DEPTH];
    private int depth;

    void clear() {
        depth = 0;
    }

    boolean isEmpty() {
        return depth == 0;
    }

    boolean isFull() {
        return depth == MAX_DEPTH;
    }

    /**
     * Pushes an opening parenthesis.
     *
     * @param row whether it follows a group and a comma and may therefore repeat that group, whose hashes are
     *     {@code before1} and {@code before2}
     * @param textStart where it starts in the normalised text
     */
    void push(long outer1, long outer2, long before1, long before2, boolean row, int textStart) {
        int d = depth++;
        this.outer1[d] = outer1;
        this.outer2[d] = outer2;
        this.before1[d] = before1;
        this.before2[d] = before2;
        this.row[d] = row;
        this.textStart[d] = textStart;
    }

    void pop() {
        depth--;
    }

    long outer1() {
        return outer1[depth];
    }

    long outer2() {
        return outer2[depth];
    }

    long before1() {
        return before1[depth];
    }

    long before2() {
        return before2[depth];
    }

    boolean isRow() {
        return row[depth];
    }

    int textStart() {
        return textStart[depth];
    }
}
