package io.understudy.replay.compare;

import java.util.Arrays;
import java.util.Comparator;

/**
 * The rows of a result with {@code FLOAT} and {@code DOUBLE} columns: of each row a hash of its other values, and those
 * numbers. Bounded; numbers beyond the bound count in the hash.
 */
final class FloatingRows {
    /** Covers a sum in another order: each addition adds at most 2^-53 (1.1e-16) of it. */
    private static final double RELATIVE = 1e-13;

    private static final double WHOLE_DOUBLES = 0x1p53;
    private static final double WHOLE_FLOATS = 0x1p24;
    /** Numbers that are kept of a result. */
    private static final int NUMBERS = 1 << 16;

    private final boolean[] singles;
    private long[] hashes = new long[16];
    private double[] numbers;
    private int rows;
    /** Of the rows beyond the bound, in any order. */
    private long rest;

    /** @param singles for each of the columns whether it is a {@code FLOAT} */
    FloatingRows(boolean[] singles) {
        this.singles = singles;
        this.numbers = new double[singles.length * hashes.length];
    }

    /**
     * Adds a row.
     *
     * @param hash of its other values
     * @param values of its columns, which are copied; 0 for what the hash has: a NULL
     */
    void add(long hash, double[] values) {
        if ((rows + 1) * singles.length > NUMBERS) {
            addWhole(31 * hash + Arrays.hashCode(values));
            return;
        }
        if (rows == hashes.length) {
            hashes = Arrays.copyOf(hashes, 2 * rows);
            numbers = Arrays.copyOf(numbers, 2 * numbers.length);
        }
        System.arraycopy(values, 0, numbers, rows * singles.length, singles.length);
        hashes[rows++] = hash;
    }

    /** Adds a row that is compared as a whole, by its hash. */
    void addWhole(long hash) {
        rest += hash;
    }

    /** Returns whether the other result has the same rows in any order, but for the numbers' last digits. */
    boolean isLike(FloatingRows other) {
        if (rows != other.rows || rest != other.rest || !Arrays.equals(singles, other.singles)) {
            return false;
        }
        Integer[] own = order();
        Integer[] others = other.order();
        for (int i = 0; i < rows; i++) {
            if (hashes[own[i]] != other.hashes[others[i]]) {
                return false;
            }
            for (int column = 0; column < singles.length; column++) {
                double a = number(own[i], column);
                double b = other.number(others[i], column);
                if (!(singles[column] ? isFloatLike(a, b) : isDoubleLike(a, b))) {
                    return false;
                }
            }
        }
        return true;
    }

    private double number(int row, int column) {
        return numbers[row * singles.length + column];
    }

    /**
     * Returns the rows by their hashes, then by their numbers: rows that are alike have the same place, unless two of
     * one hash differ in several numbers.
     */
    private Integer[] order() {
        Integer[] order = new Integer[rows];
        Arrays.setAll(order, i -> i);
        int width = singles.length;
        Comparator<Integer> byHash = Comparator.comparingLong(row -> hashes[row]);
        Arrays.sort(
                order,
                byHash.thenComparing((x, y) ->
                        Arrays.compare(numbers, x * width, (x + 1) * width, numbers, y * width, (y + 1) * width)));
        return order;
    }

    private static boolean isDoubleLike(double a, double b) {
        return a == b
                || !areWhole(a, b, WHOLE_DOUBLES) && Math.abs(a - b) <= RELATIVE * Math.max(Math.abs(a), Math.abs(b));
    }

    private static boolean isFloatLike(double a, double b) {
        return a == b
                || !areWhole(a, b, WHOLE_FLOATS)
                        && Math.abs(a - b) <= Math.ulp((float) Math.max(Math.abs(a), Math.abs(b)));
    }

    private static boolean areWhole(double a, double b, double bound) {
        return Math.max(Math.abs(a), Math.abs(b)) < bound && a == Math.rint(a) && b == Math.rint(b);
    }
}
