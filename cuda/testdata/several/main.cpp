#include "parts.h"
#include <iostream>

int main() { std::cout << "first " << first() << " second " << second() << " plain " << plain() << std::endl; }
