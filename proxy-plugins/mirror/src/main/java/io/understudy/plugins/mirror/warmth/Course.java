package io.understudy.plugins.mirror.warmth;

/**
 * A possible course of the excess over the statements that a standby executes.
 *
 * <p>With {@link Filling} the excess ends when the standby has as many pages in memory as the primary; {@link Power}
 * goes on as the probes did so far, whatever the pools hold.
 */
sealed interface Course {
    /** Returns how likely it is against the others. */
    double likelihood();

    /** Returns the same course with another likelihood. */
    Course weighing(double changed);

    /**
     * Returns the course for a standby whose excess is known at one point.
     *
     * @param excess after {@code from} statements
     * @param floor the primary's page reads per query
     */
    Falling from(double excess, double floor, double from);

    /** A course whose height is known. */
    interface Falling {
        /** Returns the excess after so many statements, at least 0. */
        double after(double statements);

        /** Returns the statements after which the excess is {@code target}, or infinity. */
        double reaches(double target);
    }

    /**
     * Cold pages of {@code kept * floor + A * (n + offset + 1)^-slope}, and never below the floor. What is kept stands
     * for reads that find no pool large enough; the offset for what had warmed the standby before the proxy saw it.
     *
     * @param slope 0 for cold pages that stay as they are
     */
    record Power(double offset, double slope, double kept, double likelihood) implements Course {
        static final Power CONSTANT = new Power(0, 0, 0, 1);

        @Override
        public Power weighing(double changed) {
            return new Power(offset, slope, kept, changed);
        }

        /** Returns the factor by which the part that falls has fallen between two numbers of statements. */
        double decline(double from, double to) {
            return slope == 0 ? 1 : Math.pow((to + offset + 1) / (from + offset + 1), -slope);
        }

        @Override
        public Falling from(double excess, double floor, double from) {
            double below = floor * (1 - kept);
            return new Falling() {
                @Override
                public double after(double statements) {
                    return Math.max(0, (excess + below) * decline(from, statements) - below);
                }

                @Override
                public double reaches(double target) {
                    double ratio = (excess + below) / (target + below);
                    if (ratio <= 1) {
                        return from;
                    }
                    return slope == 0
                            ? Double.POSITIVE_INFINITY
                            : (from + offset + 1) * Math.pow(ratio, 1 / slope) - offset - 1;
                }
            };
        }
    }

    /**
     * An excess that falls with the logarithm of {@code n + offset + 1} and ends when the standby has read as many
     * pages as it lacks against the primary: as in a pool that fills under independent reads, by Zipf's law with an
     * offset of 0, evenly with a large one.
     *
     * @param missing of which there are some
     */
    record Filling(double offset, MissingPages missing, double likelihood) implements Course {
        private static final int HALVINGS = 40;
        private static final double WIDEST = 30;

        @Override
        public Filling weighing(double changed) {
            return new Filling(offset, missing, changed);
        }

        @Override
        public Falling from(double level, double floor, double from) {
            double excess = Math.max(0, level);
            double begin = from + offset + 1;
            double others = floor + missing.byWrites();
            double lacking = missing.count() + (others + excess) * (missing.statements() - from);
            double powers = powers(excess, others, lacking / begin);
            return new Falling() {
                @Override
                public double after(double statements) {
                    return Math.max(0, excess * (1 - Math.log((statements + offset + 1) / begin) / powers));
                }

                @Override
                public double reaches(double target) {
                    return excess <= target ? from : begin * Math.exp(powers * (1 - target / excess)) - offset - 1;
                }
            };
        }

        /**
         * Returns the powers of e by which the statements grow until the excess is 0. Until then the standby reads
         * {@code others * (e^p - 1) + excess * ((e^p - 1) / p - 1)} times the statements so far in pages.
         */
        private static double powers(double excess, double others, double missing) {
            double low = 1e-6;
            double high = WIDEST;
            for (int i = 0; i < HALVINGS; i++) {
                double middle = (low + high) / 2;
                double growth = Math.expm1(middle);
                if (others * growth + excess * (growth / middle - 1) < missing) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            return low;
        }
    }
}
