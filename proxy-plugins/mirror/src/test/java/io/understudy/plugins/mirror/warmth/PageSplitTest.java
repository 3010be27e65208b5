package io.understudy.plugins.mirror.warmth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** The primary reads 0.15 pages for a query, and for each query 0.55 for writes. */
class PageSplitTest {
    private static final double PRIMARY = 0.7;

    @Test
    void aWarmStandbyThatGetsAllReadsWhatThePrimaryDoes() {
        PageSplit split = PageSplit.of(PRIMARY, 0.55, 0.15, 1);
        assertThat(split.queries()).isCloseTo(0.15, within(1e-9));
        assertThat(split.low()).isCloseTo(0.15, within(1e-9));
        assertThat(split.high()).isCloseTo(0.15, within(1e-9));
        assertThat(split.applier()).isCloseTo(0.55, within(1e-9));
    }

    /** Its applier reads more than all that the primary does. */
    @Test
    void aColdStandbysApplierIsColdToo() {
        PageSplit split = PageSplit.of(PRIMARY, 1.1, 0.3, 1);
        assertThat(split.queries()).as("both twice as cold").isCloseTo(0.15, within(1e-9));
        assertThat(split.low()).as("only the queries' pages are colder").isZero();
        assertThat(split.high()).as("only the applier's are").isCloseTo(0.3, within(1e-9));
    }

    /** A tenth of the queries, for long: the applier's pages are as warm as on the primary, or warmer. */
    @Test
    void aSmallSampleKeepsTheApplierWarm() {
        PageSplit split = PageSplit.of(PRIMARY, 0.5, 0.4, 0.15);
        assertThat(split.low()).isLessThan(0.15);
        assertThat(split.queries()).isBetween(0.15, 0.25);
        assertThat(split.high()).isGreaterThan(0.3);
    }

    @Test
    void writesThatReadNothingLeaveAllToTheQueries() {
        assertThat(PageSplit.of(PRIMARY, 0, 0.9, 1).queries()).isCloseTo(PRIMARY, within(1e-9));
    }

    @Test
    void nothingReadIsNothing() {
        assertThat(PageSplit.of(0, 0, 0, 1)).isEqualTo(new PageSplit(0, 0, 0, 0));
        assertThat(PageSplit.of(0, 0.3, 0.4, 0.6).high()).isZero();
    }
}
