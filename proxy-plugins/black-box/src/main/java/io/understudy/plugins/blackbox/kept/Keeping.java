package io.understudy.plugins.blackbox.kept;

/** Where transactions are kept. */
public interface Keeping {
    /** Runs an action once all is kept that the black box has taken before. On any thread. */
    void whenKept(Runnable action);

    /** Returns whether transactions can be kept again. May wait; on the plugin's executor. */
    boolean mayContinue();

    /** Returns that in memory: what the black box has taken is kept. */
    static Keeping inMemory(BlackBox box) {
        return new Keeping() {
            @Override
            public void whenKept(Runnable action) {
                action.run();
            }

            @Override
            public boolean mayContinue() {
                return box.hasRoomAgain();
            }
        };
    }
}
