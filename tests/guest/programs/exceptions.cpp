/* SPDX-License-Identifier: BSD-3-Clause
 *
 * C++ exceptions through procedures, five deep, also out of a thread's first procedure and out of a destructor's
 * callee.
 */
#include <stdexcept>
#include <thread>

PROCEDURE static int deep(int n)
{
    REGION("deep")
    {
        if (n == 0)
            throw std::runtime_error("bottom");
        return n == 1 ? deep(0) : n + 1;
    }
    return 0;
}

PROCEDURE static int middle(int n)
{
    REGION("middle")
    {
        std::string text(100, 'x');
        return deep(n) + (int)text.size();
    }
    return 0;
}

PROCEDURE static int outer(int n)
{
    REGION("outer")
    {
        try {
            return middle(n);
        } catch (const std::runtime_error &error) {
            return (int)std::string(error.what()).size();
        }
    }
    return 0;
}

PROCEDURE static void run()
{
    int sum = 0;
    REGION("run")
    {
        for (int i = 0; i < 1000; i++)
            sum += outer(i % 3);
    }
    guest_sink += sum;
}

int main()
{
    run();
    std::thread other(run);
    other.join();
    std::printf("%ld\n", guest_sink);
    return 0;
}
