package io.understudy.replay;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * The state that the connections of one replay share.
 *
 * @param readsOnly whether sessions must not write
 * @param prepared bounds the statements that all connections keep prepared
 * @param completed called with the cost of each statement that is over, however it ended
 * @param stopped whether nothing may be sent any more
 * @param fatal called with the reason to stop, such as that no connection can be had
 */
record Playing(
        boolean readsOnly,
        PreparedBudget prepared,
        ReplayFigures figures,
        ReplayProgress progress,
        IntConsumer completed,
        BooleanSupplier stopped,
        Consumer<String> fatal) {}
